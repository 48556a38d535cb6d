import type { MarketName } from './markets.ts'
import type { ProductId } from './products.ts'
import type { StoryName } from './stories.ts'

export type Issued = [market: MarketName, story: StoryName]

/** What each product was certified for, and what became of it. */
export const issued: Partial<Record<ProductId, Issued[]>> = {
  'prd-lumen-gateway': [
    ['US', 'unlimited'],
    ['CA', 'unlimited'],
    ['DE', 'unlimited'],
    ['GB', 'unlimited'],
    ['CH', 'unlimited'],
    ['JP', 'unlimited'],
    ['KR', 'unlimited'],
    ['BR', 'renewedEarly'],
    ['SG', 'running'],
    ['CN', 'renewedEarly'],
    ['AE', 'expiring'],
    ['KW', 'lastDay'],
    ['TW', 'running'],
    ['safety', 'running'],
    ['bluetooth', 'unlimited'],
  ],
  'prd-lumen-gateway-lte': [
    ['US', 'unlimited'],
    ['CA', 'unlimited'],
    ['DE', 'unlimited'],
    ['JP', 'conditional'],
    ['BR', 'upcoming'],
    ['CN', 'pending'],
    ['IN', 'unlimited'],
    ['MX', 'conditionalExpiring'],
    ['safety', 'expiring'],
  ],
  'prd-tracker-mini': [
    ['US', 'unlimited'],
    ['DE', 'unlimited'],
    ['GB', 'withdrawn'],
    ['BR', 'expiringSoon'],
    ['ZA', 'unlimited'],
    ['ID', 'edgeOfWindow'],
    ['AE', 'beyondWindow'],
    ['SG', 'extended'],
    ['KW', 'suspended'],
    ['AU', 'unlimited'],
  ],
  'prd-smartlock': [
    ['US', 'unlimited'],
    ['CA', 'unlimited'],
    ['DE', 'unlimited'],
    ['JP', 'unlimited'],
    ['KR', 'suspended'],
    ['TW', 'expiring'],
    ['AU', 'unlimited'],
    ['bluetooth', 'unlimited'],
  ],
  'prd-meternode': [
    ['DE', 'unlimited'],
    ['CH', 'unlimited'],
    ['IN', 'rejected'],
    ['ZA', 'running'],
    ['safety', 'expired'],
  ],
  'prd-wifi-module': [
    ['module', 'unlimited'],
    ['CA', 'unlimited'],
    ['JP', 'unlimited'],
    ['KR', 'unlimited'],
    ['CN', 'extended'],
    ['BR', 'expired'],
  ],
  'prd-chargepad': [
    ['US', 'revoked'],
    ['DE', 'unlimited'],
    ['GB', 'unlimited'],
    ['safety', 'upcoming'],
  ],
  'prd-levelsense': [
    ['DE', 'pending'],
    ['US', 'pending'],
  ],
  'prd-hub-classic': [
    ['US', 'superseded'],
    ['DE', 'unlimited'],
    ['BR', 'longExpired'],
    ['SG', 'longExpired'],
    ['legacy', 'longExpired'],
  ],
  'prd-remote-433': [['legacy', 'superseded']],
}
